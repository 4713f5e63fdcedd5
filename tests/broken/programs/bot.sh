FIRST
while read -r word rest; do
  case $word in
    pwtp | end) READY ;;
    go) GO ;;
    quit) exit ;;
  esac
done
