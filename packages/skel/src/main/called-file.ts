/** The parts of a process that tell its file. */
type Called = Pick<NodeJS.Process, 'argv' | 'argv0' | 'execPath'>

/**
 * The absolute path that a process was called by: a symbolic link or a second name of the file keeps its own folder and
 * name. A script is known by its file, because its process has the name of the runtime.
 */
export function calledFile({ argv, argv0, execPath }: Called): string {
  const script = argv[1]
  if (script?.startsWith('/') && !script.startsWith('/$bunfs/') && script !== execPath) return script
  return argv0.startsWith('/') ? argv0 : execPath
}
