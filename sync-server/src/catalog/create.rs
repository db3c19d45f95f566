//! Making a hotel from its description.
//!
//! The log begins empty: whoever reads a hotel begins with a snapshot, and the first event is the
//! first change to what was made here.

use std::collections::BTreeMap;

use chrono::{Datelike, Days, NaiveDate};
use protocol::code::{Code, Problem};
use protocol::id::{HotelId, RatePlanId, RoomId, RoomTypeId, StaffId};
use uuid::Uuid;

use super::spec::{HotelSpec, RatePlanSpec, RoomSpec, TypeSpec};
use crate::db::Db;
use crate::db::new_hotel::{self as db, NewRates, NewRoom, NewType};
use crate::error::ApiError;
use crate::staff::password;

/// What was made, by the names of the description.
#[derive(Clone, Debug)]
pub struct CreatedHotel {
    /// The hotel.
    pub id: HotelId,
    /// Its open day.
    pub business_date: NaiveDate,
    /// Types by code.
    pub types: BTreeMap<String, RoomTypeId>,
    /// Rooms by number.
    pub rooms: BTreeMap<String, RoomId>,
    /// Price plans by code.
    pub rate_plans: BTreeMap<String, RatePlanId>,
    /// Colleagues by sign-in name.
    pub staff: BTreeMap<String, StaffId>,
}

/// Makes the hotel, all or nothing. A wrong description is refused with every fault in it.
pub async fn create_hotel(db: &Db, spec: &HotelSpec) -> Result<CreatedHotel, ApiError> {
    spec.check()?;
    let hashes = hash_passwords(spec).await?;
    let mut tx = db.booking.begin().await?;
    if db::slug_taken(&mut tx, &spec.slug).await? {
        return Err(Problem::new(Code::AlreadyExists)
            .field("/slug", "there is a hotel of this name")
            .into());
    }
    let business_date = match spec.business_date {
        Some(date) => date,
        None => db::today(&mut tx, &spec.time_zone).await?,
    };
    let mut made = CreatedHotel {
        id: spec.id.unwrap_or_else(|| HotelId(Uuid::now_v7())),
        business_date,
        types: BTreeMap::new(),
        rooms: BTreeMap::new(),
        rate_plans: BTreeMap::new(),
        staff: BTreeMap::new(),
    };
    let hotel = made.id;
    let from = spec.nights_from.unwrap_or(business_date);
    let until = business_date + Days::new(u64::from(spec.window_days.unsigned_abs()));
    db::insert_hotel(&mut tx, hotel, spec, business_date).await?;

    let rooms_of: Vec<Vec<RoomSpec>> = spec.types.iter().map(all_rooms).collect();
    let sum: i32 = rooms_of.iter().map(|rooms| count(rooms)).sum();
    db::insert_type(
        &mut tx,
        hotel,
        &NewType {
            id: RoomTypeId::HOUSE,
            code: "HOUSE",
            name: "House",
            max_occupancy: 1,
            sort: -1,
            total: spec.house.total.map_or(sum, |cap| cap.min(sum)),
            total_cap: spec.house.total,
            overbook_pct: spec.house.overbook_pct,
            overbook_rooms: spec.house.overbook_rooms,
        },
        from,
        until,
    )
    .await?;
    for (sort, (kind, rooms)) in (0..).zip(spec.types.iter().zip(&rooms_of)) {
        let id = kind.id.unwrap_or_else(|| RoomTypeId(Uuid::now_v7()));
        let new = NewType {
            id,
            code: &kind.code,
            name: &kind.name,
            max_occupancy: kind.max_occupancy,
            sort,
            total: count(rooms),
            total_cap: None,
            overbook_pct: kind.overbook_pct,
            overbook_rooms: kind.overbook_rooms,
        };
        db::insert_type(&mut tx, hotel, &new, from, until).await?;
        made.types.insert(kind.code.clone(), id);
        for room in rooms {
            let new = NewRoom {
                id: room.id.unwrap_or_else(|| RoomId(Uuid::now_v7())),
                room_type_id: id,
                number: room.number.clone(),
                floor: room.floor.clone(),
                features: room.features.clone(),
            };
            db::insert_room(&mut tx, hotel, &new).await?;
            made.rooms.insert(new.number, new.id);
        }
    }
    for (sort, plan) in (0..).zip(&spec.rate_plans) {
        let id = plan.id.unwrap_or_else(|| RatePlanId(Uuid::now_v7()));
        db::insert_rate_plan(&mut tx, hotel, id, &plan.code, &plan.name, sort).await?;
        for (code, room_type) in &made.types {
            if let Some(price) = plan.prices.get(code) {
                db::insert_rate_base(&mut tx, hotel, id, *room_type, *price).await?;
            }
            let rates = rates_of(plan, code, from, until);
            db::insert_rates(&mut tx, hotel, id, *room_type, &rates).await?;
        }
        made.rate_plans.insert(plan.code.clone(), id);
    }
    for (person, hash) in spec.staff.iter().zip(&hashes) {
        let id = person.id.unwrap_or_else(|| StaffId(Uuid::now_v7()));
        let new = db::NewStaff {
            id,
            login: &person.login.to_lowercase(),
            display_name: &person.display_name,
            role: person.role,
            password_hash: hash,
        };
        db::insert_staff(&mut tx, hotel, &new).await?;
        made.staff.insert(person.login.clone(), id);
    }
    tx.commit().await?;
    Ok(made)
}

async fn hash_passwords(spec: &HotelSpec) -> Result<Vec<String>, ApiError> {
    let mut hashes = Vec::with_capacity(spec.staff.len());
    for person in &spec.staff {
        let password = person.password.clone();
        let hash = tokio::task::spawn_blocking(move || password::hash(&password))
            .await
            .map_err(anyhow::Error::from)??;
        hashes.push(hash);
    }
    Ok(hashes)
}

/// The rooms that are named, and those that are only counted.
fn all_rooms(kind: &TypeSpec) -> Vec<RoomSpec> {
    let counted = (1..=kind.count).map(|nth| RoomSpec {
        number: format!("{}-{nth:03}", kind.code),
        floor: "1".to_owned(),
        ..RoomSpec::default()
    });
    kind.rooms.iter().cloned().chain(counted).collect()
}

fn count(rooms: &[RoomSpec]) -> i32 {
    // The description allows 10,000 rooms.
    i32::try_from(rooms.len()).unwrap_or(i32::MAX)
}

/// The price of every night that has one.
fn rates_of(plan: &RatePlanSpec, code: &str, from: NaiveDate, until: NaiveDate) -> NewRates {
    let mut rates = NewRates::default();
    for night in protocol::nights::dates(from, until) {
        let weekday = u8::try_from(night.weekday().number_from_monday()).unwrap_or(1);
        let mut price = plan.prices.get(code).copied();
        let mut min_stay = None;
        let mut closed = false;
        for season in &plan.seasons {
            let applies = (season.from..season.until).contains(&night)
                && (season.weekdays.is_empty() || season.weekdays.contains(&weekday));
            if applies {
                price = season.prices.get(code).copied().or(price);
                min_stay = season.min_stay.or(min_stay);
                closed |= season.closed_to_arrival;
            }
        }
        if let Some(price) = price {
            rates.nights.push(night);
            rates.prices.push(price);
            rates.min_stays.push(min_stay);
            rates.closed_to_arrival.push(closed);
        }
    }
    rates
}
