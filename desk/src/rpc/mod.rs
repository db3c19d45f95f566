//! What the screens may ask of the desk: one typed call, the same over Tauri and over loopback HTTP.
//!
//! `schema` declares every request and answer; each noun has a file with its reads.

mod chart;
#[cfg(feature = "ts")]
pub mod codegen;
mod command;
mod find;
mod lines;
mod position;
mod quote;
mod reservation;
pub mod schema;
mod session;
mod status;
mod suggest;
mod today;

use protocol::code::{Code, Problem};
use protocol::row::HotelRow;
use rusqlite::Connection;
use serde::de::DeserializeOwned;

use crate::desk::Desk;
use crate::store::{StoreFault, hotel};
use schema::*;

/// What comes of a call.
pub type RpcResult<T> = Result<T, RpcError>;

impl From<Problem> for RpcError {
    fn from(problem: Problem) -> Self {
        Self {
            code: problem.code,
            problem,
        }
    }
}

impl From<StoreFault> for RpcError {
    fn from(fault: StoreFault) -> Self {
        tracing::error!(name = "rpc.fault", fault = &fault as &dyn std::error::Error);
        Problem::new(Code::Internal)
            .detail(fault.to_string())
            .into()
    }
}

/// There is nothing to show before the first copy.
pub(crate) fn no_copy_yet() -> RpcError {
    Problem::new(Code::Busy)
        .detail("the first copy of the hotel is still being loaded")
        .into()
}

fn not_signed_in() -> RpcError {
    Problem::new(Code::Unauthenticated).into()
}

fn invalid(pointer: &str, detail: &str) -> RpcError {
    Problem::new(Code::Invalid).field(pointer, detail).into()
}

/// The hotel, or word that there is no copy yet.
fn hotel_of(db: &Connection) -> RpcResult<HotelRow> {
    hotel::get(db)?.ok_or_else(no_copy_yet)
}

/// Runs a read of the copy where it may block.
async fn reading<T: Send + 'static>(
    desk: &Desk,
    work: impl FnOnce(&Connection) -> RpcResult<T> + Send + 'static,
) -> RpcResult<T> {
    let session = desk.session().ok_or_else(not_signed_in)?;
    match tokio::task::spawn_blocking(move || session.store.read(work)).await {
        Ok(done) => done,
        Err(fault) if fault.is_panic() => std::panic::resume_unwind(fault.into_panic()),
        Err(_) => Err(Problem::new(Code::Internal)
            .detail("the program is ending")
            .into()),
    }
}

fn body<T: DeserializeOwned>(bytes: &[u8]) -> RpcResult<T> {
    // A call with nothing to say may leave its body out.
    let bytes = if bytes.iter().all(u8::is_ascii_whitespace) {
        b"{}"
    } else {
        bytes
    };
    serde_json::from_slice(bytes).map_err(|fault| {
        Problem::new(Code::BadRequest)
            .detail(fault.to_string())
            .into()
    })
}

fn answer<T: serde::Serialize>(answer: &T) -> RpcResult<Vec<u8>> {
    serde_json::to_vec(answer).map_err(|fault| StoreFault::from(fault).into())
}

macro_rules! dispatch {
    ($($name:literal $function:ident ($request:ty) -> $answer:ty [$($tag:ident),*]),* $(,)?) => {
        /// Every method's name.
        pub const METHODS: &[&str] = &[$($name),*];

        /// Calls a method by its name: JSON in, JSON out.
        pub async fn call_bytes(desk: &Desk, method: &str, request: &[u8]) -> RpcResult<Vec<u8>> {
            match method {
                $($name => {
                    let request: $request = body(request)?;
                    let done: $answer = Box::pin(methods::$function(desk, request)).await?;
                    answer(&done)
                })*
                _ => Err(Problem::new(Code::NotFound)
                    .detail("the desk has no such method")
                    .into()),
            }
        }
    };
}
crate::for_each_rpc_method!(dispatch);

/// Calls a method by its name with values instead of text.
pub async fn call(
    desk: &Desk,
    method: &str,
    request: serde_json::Value,
) -> RpcResult<serde_json::Value> {
    let done = call_bytes(desk, method, request.to_string().as_bytes()).await?;
    serde_json::from_slice(&done).map_err(|fault| StoreFault::from(fault).into())
}

/// The functions by the names that the schema gives them.
mod methods {
    pub(super) use super::chart::get as chart_get;
    pub(super) use super::command::{
        changes_wait, list as command_list, submit as command_submit, task_done,
    };
    pub(super) use super::find::find;
    pub(super) use super::position::get as position_get;
    pub(super) use super::quote::get as quote_get;
    pub(super) use super::reservation::get as reservation_get;
    pub(super) use super::session::{
        get as session_get, sign_in as session_sign_in, sign_out as session_sign_out,
    };
    pub(super) use super::status::{catalogue as catalogue_get, get as status_get};
    pub(super) use super::suggest::suggest as room_suggest;
    pub(super) use super::today::get as today_get;
}
