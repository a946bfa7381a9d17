import { run } from '@cni/host'
import type { Prepared } from './contender.ts'

// Starts programs from Perl, which uses little memory: the kernel adds the starting process's memory to the peak.
const SCRIPT = `
my $pid = fork // die "fork: $!";
if ($pid == 0) { exec { $ARGV[0] } @ARGV or die "exec: $!" }
waitpid $pid, 0;
my $status = $?;
my $usage = "\\0" x 144;
syscall(98, -1, $usage) == 0 or die "getrusage: $!";
printf STDERR "\\npeak %d kB\\n", (unpack 'q18', $usage)[4];
exit($status == 0 ? 0 : 1);
`

/** Measures a program's peak memory in MB. A larger peak of a child that it waited for counts instead. */
export async function peakMB({ argv, env = {}, stdin = '' }: Prepared): Promise<number> {
  const { stderr } = await run(['/usr/bin/perl', '-e', SCRIPT, ...argv], { env, input: stdin, cwd: '/' })
  return (Number(/\npeak (\d+) kB\n$/.exec(stderr)?.[1]) * 1024) / 1e6
}
