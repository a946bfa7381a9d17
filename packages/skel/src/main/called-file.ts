/** Members of a process that identify its file. */
type Called = Pick<NodeJS.Process, 'argv' | 'argv0' | 'execPath'>

/**
 * Absolute path by which a process was called. A symbolic or hard link keeps its own folder and name.
 * For a script it is the script's file, because the process has the name of the runtime.
 */
export function calledFile({ argv, argv0, execPath }: Called): string {
  const script = argv[1]
  if (script?.startsWith('/') && !script.startsWith('/$bunfs/') && script !== execPath) return script
  return argv0.startsWith('/') ? argv0 : execPath
}
