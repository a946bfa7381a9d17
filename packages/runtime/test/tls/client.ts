import type { Asked } from '../programs/https-client.ts'
import type { Both, Outcome } from '../same.ts'

/** Result of an HTTPS request of the test client: parts of the response, or the code of the error. */
export interface Answered {
  readonly status?: number
  readonly length?: number
  readonly text?: string
  readonly code?: string
  readonly message?: string
  readonly protocol?: string
  readonly authorized?: boolean
  readonly error?: string | null
  readonly subject?: string
  readonly issuer?: string
}

const answered = ({ stdout, stderr, code, signal }: Outcome): Answered => {
  const [line = ''] = stdout.split('\n')
  if (line === '') throw new Error(`no answer: ${code} ${signal} ${stderr}`)
  return JSON.parse(line)
}

/** Sends the same HTTPS request from the small runtime and from Node. */
export async function askBoth(client: Both, asked: Asked): Promise<{ small: Answered; node: Answered }> {
  const options = { args: [JSON.stringify({ host: '127.0.0.1', allowPartialTrustChain: true, ...asked })] }
  const [small, node] = await Promise.all([client.onSmall(options), client.onNode(options)])
  return { small: answered(small), node: answered(node) }
}

export async function askSmall(client: Both, asked: Asked): Promise<Answered> {
  return answered(await client.onSmall({ args: [JSON.stringify({ host: '127.0.0.1', ...asked })] }))
}
