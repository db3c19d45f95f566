//! The hold function, and the expiry of holds.

use protocol::code::Code;
use protocol::id::HotelId;
use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

use crate::db::command::Answer;
use crate::error::ApiError;
use crate::reservations::hold_group::Layout;
use crate::reservations::hold_texts::{TEXTS, Texts};

/// SQLSTATE `no_data_found`, which the function raises for a hotel that does not exist.
const NO_SUCH_HOTEL: &str = "P0002";

/// SQLSTATE `unique_violation`: an id, a number or an outside id is taken.
const TAKEN: &str = "23505";

/// Decides a group of holds in one round trip, outside any transaction of ours. Answers one for each
/// hold, in order; an error means that nothing was decided for any of them.
pub(crate) async fn decide(
    conn: &mut PgConnection,
    hotel: HotelId,
    group: &Layout,
) -> Result<Vec<Answer>, ApiError> {
    let texts = TEXTS
        .as_ref()
        .map_err(|error| anyhow::anyhow!("the texts of holds: {error}"))?;
    let decided = match call(conn, hotel, group, texts, false).await {
        Err(error) if state(&error).as_deref() == Some(TAKEN) => {
            call(conn, hotel, group, texts, true).await
        }
        decided => decided,
    };
    decided.map_err(|error| {
        if state(&error).as_deref() == Some(NO_SUCH_HOTEL) {
            ApiError::refused(Code::NotFound)
        } else {
            error.into()
        }
    })
}

fn state(error: &sqlx::Error) -> Option<std::borrow::Cow<'_, str>> {
    error.as_database_error().and_then(|error| error.code())
}

async fn call(
    conn: &mut PgConnection,
    hotel: HotelId,
    group: &Layout,
    texts: &Texts,
    careful: bool,
) -> Result<Vec<Answer>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"SELECT status AS "status!", answer AS "answer!" FROM hold_group_v2(
            $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19,
            $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34, $35, $36,
            $37, $38, $39, $40, $41, $42, $43, $44, $45, $46, $47, $48, $49, $50, $51, $52, $53,
            $54, $55, $56)"#,
        hotel.0,
        careful,
        &texts.refusals,
        &texts.statuses,
        &texts.night,
        &texts.item,
        &texts.problem,
        &group.h_actor,
        &group.h_device as &[Option<Uuid>],
        &group.h_key as &[Option<String>],
        &group.h_hash as &[Option<Vec<u8>>],
        &group.h_event,
        &group.h_booking,
        &group.h_number,
        &group.h_channel as &[&str],
        &group.h_external as &[Option<String>],
        &group.h_minutes as &[Option<i32>],
        &group.h_first_room,
        &group.h_last_room,
        &group.h_first_touch,
        &group.h_last_touch,
        &group.h_image,
        &group.h_answer,
        &group.r_reservation,
        &group.r_hold,
        &group.r_type,
        &group.r_plan as &[Option<Uuid>],
        &group.r_in,
        &group.r_out,
        &group.r_adults,
        &group.r_children,
        &group.r_guest as &[Option<Uuid>],
        &group.r_price as &[Option<i64>],
        &group.r_segment as &[&str],
        &group.r_day_use,
        &group.r_first_item,
        &group.r_last_item,
        &group.r_arrival,
        &group.r_departure,
        &group.r_image,
        &group.r_answer,
        &group.i_room,
        &group.i_date,
        &group.i_rate,
        &group.t_counter,
        &group.t_rooms,
        &group.n_type,
        &group.n_date,
        &group.n_rooms,
        &group.q_plan as &[Option<Uuid>],
        &group.q_type,
        &group.q_date,
        &group.u_actor,
        &group.u_type,
        &group.u_plan,
        &group.u_guest,
    )
    .fetch_all(conn)
    .await?;
    Ok(rows
        .into_iter()
        .map(|row| Answer {
            status: u16::try_from(row.status).unwrap_or(500),
            body: row.answer,
        })
        .collect())
}

/// The hotels that have holds which ran out. The one read that names no hotel.
pub(crate) async fn hotels_with_due_holds(reads: &PgPool) -> Result<Vec<HotelId>, ApiError> {
    let hotels = sqlx::query_scalar!(
        "SELECT h.hotel_id FROM hotel h WHERE EXISTS (
            SELECT FROM reservation r
            WHERE r.hotel_id = h.hotel_id AND r.state = 'held'
              AND r.hold_expires_at <= clock_timestamp())"
    )
    .fetch_all(reads)
    .await?;
    Ok(hotels.into_iter().map(HotelId).collect())
}

/// Expires up to `limit` due holds of one hotel in one transaction and one round trip. Answers
/// whether there was something to do; passes by when somebody else holds the hotel's head.
pub(crate) async fn expire(
    conn: &mut PgConnection,
    hotel: HotelId,
    limit: i32,
) -> Result<bool, ApiError> {
    let seq = sqlx::query_scalar!(
        "SELECT expire_holds_v1($1, $2, $3)",
        hotel.0,
        limit,
        Uuid::new_v4(),
    )
    .fetch_one(conn)
    .await?;
    Ok(seq.is_some())
}
