import { runCli } from '../src/run-cli.ts'

/** Runs a command line of `cni-build` inside the test and returns its output. */
export async function cli(...argv: string[]) {
  let out = ''
  let err = ''
  const exitCode = await runCli(argv, {
    stdout: (text) => {
      out += text
    },
    stderr: (text) => {
      err += text
    },
  })
  return { exitCode, out, err }
}
