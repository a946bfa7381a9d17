/**
 * Node options for a program of this folder. The program preloads the same modules as this process, such as a loader.
 */
export const programFlags = (): string[] => [
  ...process.execArgv.filter((flag) => flag.startsWith('--import=')),
  '--conditions=@cni/source',
  '--disable-warning=ExperimentalWarning',
]
