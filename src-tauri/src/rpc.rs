//! The one thing that the page may call.

use std::sync::Arc;

use desk::desk::Desk;
use serde_json::Value;
use tauri::State;
use tauri::ipc::Response;

/// Hands a call to the desk. The answer and the refusal travel as they are, so that the screens see the
/// same over Tauri and over loopback HTTP.
#[tauri::command]
pub(crate) async fn rpc(
    desk: State<'_, Arc<Desk>>,
    method: String,
    body: Value,
) -> Result<Response, Value> {
    let request = body.to_string();
    match desk::rpc::call_bytes(&desk, &method, request.as_bytes()).await {
        // The desk's JSON goes on as the text that it is.
        Ok(answer) => Ok(Response::new(String::from_utf8_lossy(&answer).into_owned())),
        Err(refusal) => Err(serde_json::to_value(refusal).unwrap_or(Value::Null)),
    }
}
