#!/bin/sh
# Magpie: a Patchwork bot in POSIX shell, for protocol version 1 (docs/protocol.md of pwtourney).
#
#     sh magpie.sh
#
# It asks for the list of legal actions, so it needs no rules at all: it takes any patch that it
# can, in the middle of the list, and advances when there is nothing to take. The only program it
# needs is the shell itself.

# Print the word in the middle of the words given.
middle() {
    shift $((($# - 1) / 2))
    printf 'move %s\n' "$1"
}

# Choose among the legal actions: "advance" comes first, takings after it.
choose() {
    if [ "$1" = advance ] && [ $# -gt 1 ]; then
        shift
    fi
    middle "$@"
}

IFS=$(printf ' \r') # words end at a blank; a carriage return may stand before the newline
legal=advance
while read -r word rest; do
    case $word in
        pwtp)
            printf 'id name Magpie\nfeature legal\nready\n'
            ;;
        end)
            printf 'ready\n'
            ;;
        legal)
            legal=$rest
            ;;
        go)
            # The words of the list become arguments: they hold no blanks and no wildcards.
            # shellcheck disable=SC2086
            choose $legal
            ;;
        quit)
            exit 0
            ;;
    esac
done
