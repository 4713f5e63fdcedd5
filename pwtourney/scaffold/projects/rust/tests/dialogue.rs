//! The bot as a runner sees it: a whole conversation, line by line.

use std::io::Write;
use std::process::{Command, Stdio};

const RUNNER: &str = "\
pwtp 1
newgame edition tiny seat 0 seed 81
board 1 1 1
start 5 1
offer 3
declining 0
income 1
leather
patch 1 1 1 1 #
end
position 1 5 0 0 1 5 0 0 0 0 - - 1 -
go movetime 1000
gameover 5 4 win
quit
";

#[test]
fn it_answers_what_it_is_asked() {
    let mut bot = Command::new(env!("CARGO_BIN_EXE_magpie"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the bot starts");
    bot.stdin.take().expect("a pipe").write_all(RUNNER.as_bytes()).expect("the bot reads");
    let said = bot.wait_with_output().expect("the bot ends");
    let text = String::from_utf8(said.stdout).expect("the bot writes UTF-8");
    assert_eq!(text, "id name Magpie\nready\nready\nmove 1:r0:a1\n");
    assert!(said.status.success());
}
