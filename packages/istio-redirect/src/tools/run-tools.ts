import { type Flag, flagsText, heading, isUsageError, versionText } from '@cni/host/cli'
import { suggestion } from '@cni/host/similar'
import { messageOf } from '@cni/types'
import { ISTIO_VERSION } from '../istio-version.ts'
import { checkFlags, runCheck } from './check-command.ts'
import { exitCodes } from './exit-codes.ts'
import type { ToolIo } from './io.ts'
import { runIptables } from './iptables/run-iptables.ts'
import { rulesFlags, runRules } from './rules-command.ts'
import { runTrace, traceFlags } from './trace-command.ts'

interface Command {
  readonly summary: string
  readonly flags: Readonly<Record<string, Flag<unknown>>>
  run(argv: readonly string[], io: ToolIo): Promise<number>
}

const commands: Readonly<Record<string, Command>> = {
  rules: { summary: 'print the rules that a pod gets', flags: rulesFlags, run: runRules },
  trace: { summary: 'show what the rules do with a packet, and why', flags: traceFlags, run: runTrace },
  check: { summary: 'compare a network namespace with the rules that its pod needs', flags: checkFlags, run: runCheck },
}

/**
 * Runs the command `istio-redirect` and returns its exit code. Under the name `istio-iptables` it runs the subcommand
 * `iptables`.
 */
export async function runTools(calledAs: string, argv: readonly string[], io: ToolIo): Promise<number> {
  if (calledAs === 'istio-iptables') return runIptables(argv, io)
  const [name = '', ...rest] = argv
  if (name === 'iptables' || name === 'istio-iptables') return runIptables(rest, io)
  if (name === '--help' || name === '-h' || name === 'help') {
    io.stdout(helpText(io.colour))
    return exitCodes.ok
  }
  if (name === '--version' || name === 'version') {
    io.stdout(versionText('istio-redirect', `with the rules and flags of Istio ${ISTIO_VERSION}`))
    return exitCodes.ok
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (command === undefined) {
    const meant = suggestion(name, ['iptables', ...Object.keys(commands)])
    io.stderr(
      `istio-redirect: ${name === '' ? 'a command is missing' : `unknown command ${JSON.stringify(name)}${meant}`}\n`,
    )
    io.stderr('Try: istio-redirect --help\n')
    return exitCodes.usage
  }
  if (rest.includes('--help') || rest.includes('-h')) {
    io.stdout(commandHelp(name, command, io.colour))
    return exitCodes.ok
  }
  try {
    return await command.run(rest, io)
  } catch (error) {
    const problem = messageOf(error)
    io.stderr(`istio-redirect ${name}: ${problem}\n`)
    if (!isUsageError(error)) return exitCodes.failed
    io.stderr(`Try: istio-redirect ${name} --help\n`)
    return exitCodes.usage
  }
}

function helpText(colour: boolean): string {
  const rows = [['iptables', 'write the rules: a drop-in for istio-iptables'], ...summaries()]
  return `${heading('Usage:', colour)} istio-redirect COMMAND [flags]

${heading('Commands:', colour)}
${rows.map(([name = '', summary]) => `  ${name.padEnd(10)}${summary}\n`).join('')}
istio-redirect COMMAND --help lists the flags. Under the name istio-iptables this program runs the command iptables.
`
}

const summaries = () => Object.entries(commands).map(([name, { summary }]) => [name, summary])

const commandHelp = (name: string, { summary, flags }: Command, colour: boolean): string =>
  `${heading('Usage:', colour)} istio-redirect ${name} [flags]

${summary.charAt(0).toUpperCase()}${summary.slice(1)}. Needs no cluster, and changes nothing.

${heading('Flags:', colour)}
${flagsText(flags)}
${heading('Exit codes:', colour)}
  0  done${name === 'trace' ? ', the packet is let through' : name === 'check' ? ', no difference' : ''}
  1  failed: invalid input, or an error
  2  wrong usage
  3  the pod gets no rules; stderr says why
${name === 'trace' ? '  4  the packet is dropped or rejected\n  5  undecided: the result depends on an unknown value, which the last line names\n' : ''}${name === 'check' ? '  4  there are differences\n' : ''}`
