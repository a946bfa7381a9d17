/**
 * Command-line options of Node.js for a stand-in's process. The process preloads the same modules as its parent, such
 * as a loader.
 */
export const programFlags = (): string[] => [
  ...process.execArgv.filter((flag) => flag.startsWith('--import=')),
  '--conditions=@cni/source',
  '--disable-warning=ExperimentalWarning',
]
