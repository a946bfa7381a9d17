/** Members of `process` that identify the plugin's executable. */
type Called = Pick<NodeJS.Process, 'argv' | 'argv0' | 'execPath'>

/** Absolute path by which the process was called. For a link, this is the link's own path. */
export function calledFile({ argv, argv0, execPath }: Called): string {
  const script = argv[1]
  if (script?.startsWith('/') && !script.startsWith('/$bunfs/') && script !== execPath) return script
  return argv0.startsWith('/') ? argv0 : execPath
}
