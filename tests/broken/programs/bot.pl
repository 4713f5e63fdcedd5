FIRST
use IO::Handle;
STDOUT->autoflush(1);
while (<STDIN>) {
  if (/^(pwtp|end)/) { READY; }
  elsif (/^go/) { GO; }
  elsif (/^quit/) { exit; }
}
