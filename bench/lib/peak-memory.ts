import { run } from '@cni/host'
import type { Prepared } from './contender.ts'

// wait4 tells the peak of a process from before its exec on: that of a runtime which starts it is 42 MB, that of Perl 5.
// 98 is getrusage on x86-64, -1 stands for all children that have ended, and its fifth number is the peak in kB.
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

/** The peak memory of a program or of the largest one that it waited for, in MB. */
export async function peakMB({ argv, env = {}, stdin = '' }: Prepared): Promise<number> {
  const { stderr } = await run(['/usr/bin/perl', '-e', SCRIPT, ...argv], { env, input: stdin, cwd: '/' })
  return (Number(/\npeak (\d+) kB\n$/.exec(stderr)?.[1]) * 1024) / 1e6
}
