/** Node.js options for a stand-in's process. Copies the parent process's `--import` options, which preload modules. */
export const programFlags = (): string[] => [
  ...process.execArgv.filter((flag) => flag.startsWith('--import=')),
  '--conditions=@cni/source',
  '--disable-warning=ExperimentalWarning',
]
