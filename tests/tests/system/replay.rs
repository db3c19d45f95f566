//! A slice of a real hotel through the API, compared with what its nights came to.

use std::path::{Path, PathBuf};

use bench::replay::run::{Options, run};
use bench::replay::script::{Shape, parse_rooms};

/// Operations played here; the whole is a bench.
const SLICE: usize = 8_600;

fn data() -> Option<PathBuf> {
    let folder =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/hotel-booking-demand");
    folder.is_dir().then_some(folder)
}

#[tokio::test(flavor = "current_thread")]
async fn n2_n10_a_real_hotel_is_replayed_and_the_desk_ends_equal_to_the_server() {
    let Some(data) = data() else {
        eprintln!("SKIPPED: ../shared/data/hotel-booking-demand is not there");
        return;
    };
    let options = Options {
        events: data.join("replay_events_H2.csv.gz"),
        expected: Some(data.join("nightly_expected_H2.csv")),
        shape: Shape {
            rooms: parse_rooms("A=146,B=15,C=3,D=57,E=10,F=8,G=5,K=8,P=1").unwrap(),
            house: 226,
            house_overbook: 57,
            type_overbook: 150,
        },
        limit: Some(SLICE),
    };
    let report = run(&options).await.unwrap();
    assert!(report.passed(), "{}", report.table());
    assert_eq!(report.get("operations"), Some(&SLICE.into()));
}
