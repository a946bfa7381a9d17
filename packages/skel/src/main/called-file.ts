/** Members of `process` that identify the plugin's executable. */
type Called = Pick<NodeJS.Process, 'argv' | 'argv0' | 'execPath'>

/**
 * Absolute path by which the plugin's process was called: the path of the executable, or of the script if a JavaScript
 * runtime runs one. If this path is a symbolic or hard link, returns the path of the link, not of its target.
 */
export function calledFile({ argv, argv0, execPath }: Called): string {
  const script = argv[1]
  if (script?.startsWith('/') && !script.startsWith('/$bunfs/') && script !== execPath) return script
  return argv0.startsWith('/') ? argv0 : execPath
}
