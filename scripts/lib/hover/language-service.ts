import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import * as z from 'zod/mini'

const response = z.object({
  type: z.literal('response'),
  request_seq: z.int(),
  success: z.boolean(),
  message: z.optional(z.string()),
  body: z.optional(z.unknown()),
})

/** Response of TypeScript's language server (tsserver) to a request. */
export type Answer = z.infer<typeof response>

/** A running language server of TypeScript (tsserver). */
export interface LanguageService {
  ask(command: string, parameters: unknown): Promise<Answer>
  /** CPU time of the language server since its start, in milliseconds. */
  cpuMs(): number
  [Symbol.dispose](): void
}

/**
 * Starts TypeScript's language server (tsserver), as editors do.
 *
 * @param file - the `tsserver.js` of a version of TypeScript
 */
export function languageService(file: string): LanguageService {
  const server = spawn(process.execPath, [file, '--disableAutomaticTypingAcquisition', '--suppressDiagnosticEvents'], {
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const waiting = new Map<number, (answer: Answer) => void>()
  let received: Buffer = Buffer.alloc(0)
  server.stdout.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk])
    for (let message = firstMessage(received); message !== undefined; message = firstMessage(received)) {
      received = message.rest
      const { success, data } = response.safeParse(JSON.parse(message.text))
      if (success) waiting.get(data.request_seq)?.(data)
    }
  })
  let sequence = 0
  return {
    ask(command, parameters) {
      sequence++
      const request = JSON.stringify({ seq: sequence, type: 'request', command, arguments: parameters })
      const answer = new Promise<Answer>((resolve) => waiting.set(sequence, resolve))
      server.stdin.write(`${request}\n`)
      return answer
    },
    cpuMs() {
      const [, fields = ''] = readFileSync(`/proc/${server.pid}/stat`, 'utf8').split(') ')
      const [user, system] = fields.split(' ').slice(11, 13)
      return 10 * (Number(user) + Number(system))
    },
    [Symbol.dispose]: () => void server.kill(),
  }
}

/** Takes the first complete message from tsserver's output: a header with the message's length, then JSON. */
function firstMessage(received: Buffer) {
  const header = received.indexOf('\r\n\r\n')
  if (header === -1) return undefined
  const length = Number(/Content-Length: (\d+)/.exec(received.toString('latin1', 0, header))?.[1])
  const end = header + 4 + length
  if (received.length < end) return undefined
  return { text: received.toString('utf8', header + 4, end), rest: received.subarray(end) }
}
