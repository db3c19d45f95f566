//! Signing in and out.

use super::RpcResult;
use super::schema::{Empty, Session, SignInRequest};
use crate::desk::Desk;

/// `session.get`.
pub(super) async fn get(desk: &Desk, _request: Empty) -> RpcResult<Session> {
    Ok(desk.session_for_screens())
}

/// `session.sign_in`.
pub(super) async fn sign_in(desk: &Desk, request: SignInRequest) -> RpcResult<Session> {
    desk.sign_in(request).await?;
    Ok(desk.session_for_screens())
}

/// `session.sign_out`.
pub(super) async fn sign_out(desk: &Desk, _request: Empty) -> RpcResult<Session> {
    desk.sign_out().await?;
    Ok(desk.session_for_screens())
}
