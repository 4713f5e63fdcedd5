#!/bin/sh
# The bot as a runner sees it: a whole conversation, line by line. `sh test.sh COMMAND …`
set -eu

said=$("$@" <<'END'
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
legal advance 1:r0:a1
go movetime 1000
gameover 5 4 win
quit
END
)

case $said in
    "id name Magpie
ready
ready
move 1:r0:a1" | "id name Magpie
feature legal
ready
ready
move 1:r0:a1") echo "ok: it answers what it is asked" ;;
    *) printf 'not what was expected:\n%s\n' "$said"; exit 1 ;;
esac
