FIRST
/^(pwtp|end)/ { READY }
/^go/ { GO }
/^quit/ { exit }
