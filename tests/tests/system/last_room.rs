//! N1 and N4 over two server processes: the last room is sold once, and losing it is an answer.

use bench::last_room::{Options, play};

#[tokio::test(flavor = "current_thread")]
async fn n1_n4_b01_two_hundred_clients_over_two_servers_and_one_room_in_twenty_rounds() {
    let options = Options {
        clients: 200,
        servers: 2,
        rounds: 20,
    };
    let outcome = play(options).await.unwrap();
    assert_eq!(outcome.other, 0, "{:?}", outcome.others);
    assert_eq!(outcome.wrong_rounds, 0);
    assert_eq!(outcome.created, 20);
    assert_eq!(outcome.sold_out, 20 * 199);
}
