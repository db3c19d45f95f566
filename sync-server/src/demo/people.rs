//! Guests' profiles made from the lists of names.

use protocol::request::GuestRequest;

use super::dice::Dice;
use super::names::{AGENCIES, COMPANIES, ORIGINS, Order, Origin, RARE};

/// What a stay says about its guest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Somebody on their own account.
    Private,
    /// Sent by a company.
    Company,
    /// Sent by an agency.
    Agency,
}

const NOTES: &[&str] = &[
    "Quiet room, away from the lift.",
    "Allergic to feathers.",
    "Comes back every spring; likes the fifth floor.",
    "Extra-long bed if there is one.",
    "Vegetarian breakfast.",
    "Speaks little English: Spanish or French.",
    "Travels with a guide dog.",
    "Always pays by company invoice.",
    "Wheelchair: level access, wide bathroom door.",
    "Celebrates a birthday during the stay.",
    "Ha pedido cuna y toallas de más.",
    "Ne pas déranger avant 11 h.",
    "Просит номер с видом на море.",
];

/// One guest.
pub(super) fn guest(dice: &mut Dice, kind: Kind) -> GuestRequest {
    let origin = origin(dice);
    let rare = dice.permille(12);
    let name = if rare {
        (*dice.pick(RARE)).to_owned()
    } else {
        full_name(dice, origin)
    };
    let company = match kind {
        Kind::Private => None,
        Kind::Company => Some((*dice.pick(COMPANIES)).to_owned()),
        Kind::Agency => dice
            .permille(600)
            .then(|| (*dice.pick(AGENCIES)).to_owned()),
    };
    GuestRequest {
        version: None,
        name,
        email: dice.permille(720).then(|| email(dice)),
        phone: dice.permille(810).then(|| phone(dice, origin)),
        company,
        language: dice.permille(900).then(|| origin.language.to_owned()),
        country: dice.permille(950).then(|| origin.country.to_owned()),
        notes: if dice.permille(60) {
            (*dice.pick(NOTES)).to_owned()
        } else {
            String::new()
        },
        vip: dice.permille(15),
    }
}

fn origin(dice: &mut Dice) -> &'static Origin {
    let weights: Vec<u32> = ORIGINS.iter().map(|origin| origin.weight).collect();
    &ORIGINS[dice.weighted(&weights)]
}

fn full_name(dice: &mut Dice, origin: &Origin) -> String {
    let given = *dice.pick(origin.given);
    if origin.order == Order::GivenOnly {
        return given.to_owned();
    }
    let family = *dice.pick(origin.family);
    match origin.order {
        Order::GivenFamily | Order::GivenOnly => format!("{given} {family}"),
        Order::GivenTwoFamilies => format!("{given} {family} {}", dice.pick(origin.family)),
        Order::FamilyGiven => format!("{family} {given}"),
        Order::FamilyGivenTogether => format!("{family}{given}"),
    }
}

/// At domains that are kept for examples, so that no letter of a demonstration reaches anybody.
fn email(dice: &mut Dice) -> String {
    const FIRST: &[&str] = &["post", "mail", "contact", "me", "info", "travel", "hello"];
    const DOMAIN: &[&str] = &["example.com", "example.org", "example.net"];
    let number = dice.between(10, 99_999);
    format!("{}.{number}@{}", dice.pick(FIRST), dice.pick(DOMAIN))
}

/// At most twelve digits, so that none can look like a payment card's number (N13).
fn phone(dice: &mut Dice, origin: &Origin) -> String {
    let groups: Vec<String> = (0..3)
        .map(|_| format!("{:03}", dice.between(0, 999)))
        .collect();
    match dice.between(0, 3) {
        0 => format!("+{} {}", origin.dial, groups.join(" ")),
        1 => format!(
            "+{} ({}) {}-{}",
            origin.dial, groups[0], groups[1], groups[2]
        ),
        2 => format!("00{} {}", origin.dial, groups[..2].join("")),
        // Leading zeros stay as they were typed.
        _ => format!("0{}{}", groups[0], groups[1]),
    }
}
