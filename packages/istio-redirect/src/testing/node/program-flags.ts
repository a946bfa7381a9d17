/** Options of Node for a program of this folder. It preloads the modules that this process preloads, such as a loader. */
export const programFlags = (): string[] => [
  ...process.execArgv.filter((flag) => flag.startsWith('--import=')),
  '--conditions=@cni/source',
  '--disable-warning=ExperimentalWarning',
]
