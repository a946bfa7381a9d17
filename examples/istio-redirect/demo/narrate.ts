import type { PluginRun } from '@cni/istio-redirect/testing/node'
import type { Facts, JudgedConnection } from './facts.ts'

/** Prints the steps of the demo as they happen. Uses colour on a terminal only. */
export interface Narrator {
  chapter(title: string): void
  line(text?: string): void
  ok(text: string): void
  bad(text: string): void
}

export function narrator(stream: NodeJS.WriteStream): Narrator {
  const tty = stream.isTTY === true && process.env.NO_COLOR === undefined
  const paint = (code: number, text: string): string => (tty ? `\u001b[${code}m${text}\u001b[0m` : text)
  const line = (text = ''): void => void stream.write(`${text}\n`)
  let chapters = 0
  return {
    line,
    chapter: (title) => line(`\n${paint(1, `${++chapters}. ${title}`)}`),
    ok: (text) => line(`   ${paint(32, '✓')} ${text}`),
    bad: (text) => line(`   ${paint(31, '✗')} ${text}`),
  }
}

/** Formats one call of a CNI plugin for the demo's output: `ADD  bridge      exit 0   21 ms`. */
export const pluginRunText = ({ verb, plugin, exit, ms }: PluginRun): string =>
  `${verb.padEnd(6)} ${plugin.padEnd(11)} exit ${exit}  ${ms.toFixed(0).padStart(4)} ms`

/** Formats a connection: `uid 1000 in the pod → 203.0.113.10:80 answered by the proxy`. */
export function connectionText(connection: JudgedConnection): string {
  const who = `uid ${connection.from.uid} in the ${connection.from.namespace}`
  return `${`${who} → ${connection.to}`.padEnd(46)} ${answerText(connection)}`
}

function answerText({ answer, error }: JudgedConnection): string {
  if (error) return `failed: ${error}`
  if (!answer) return 'closed without an answer'
  const meant = answer.original_dst ? `, original destination ${answer.original_dst}` : ''
  return `${answer.served_by} (pid ${answer.pid}, uid ${answer.uid}, port ${answer.listener})${meant}`
}

/** Diagram of the packets' paths through the pod, with the addresses and counts of the current demo run. */
export function picture({ connections }: Pick<Facts, 'connections'>): string[] {
  const first = (wanted: (connection: JudgedConnection) => boolean): JudgedConnection | undefined =>
    connections.find((connection) => connection.as_expected && wanted(connection))
  const way = (connection: JudgedConnection | undefined, from: string, steps: string): string[] =>
    connection
      ? [
          `     ${from.padEnd(11)} ── ${connection.to} ──►  ${steps}`,
          `     ${' '.repeat(11)}     answered by ${answerText(connection)}`,
        ]
      : []
  return [
    ...way(
      first(({ answer }) => answer?.listener === 15001),
      'app',
      'OUTPUT ─► ISTIO_OUTPUT ─► ISTIO_REDIRECT ─► :15001',
    ),
    ...way(
      first(({ from }) => from.uid === 1337),
      'proxy',
      'OUTPUT ─► ISTIO_OUTPUT ─► RETURN (uid 1337) ─► eth0',
    ),
    ...way(
      first(({ answer }) => answer?.listener === 15006),
      'client',
      'eth0 ─► PREROUTING ─► ISTIO_INBOUND ─► ISTIO_IN_REDIRECT ─► :15006',
    ),
    ...way(
      first(({ answer }) => answer?.listener === 15021),
      'kubelet',
      'eth0 ─► PREROUTING ─► ISTIO_INBOUND ─► RETURN (port 15021)',
    ),
  ]
}
