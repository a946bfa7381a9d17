import { connectUnix } from '@cni/netns/unix'

/** A ztunnel that opens nothing in pods, and says yes to everything at once: what is measured is the agent. */
export interface AckingZtunnel extends AsyncDisposable {
  /** From the first message until it was told of all pods, in milliseconds. */
  readonly snapshotMs: number
  /** How many pods it was told of then. */
  readonly pods: number
}

const HELLO = Uint8Array.of(0x08, 0x01)
const ACK = Uint8Array.of(0x0a, 0x00)
/** The first byte of messages, by field. */
const [ADD, SNAPSHOT_SENT] = [0x0a, 0x1a]

/** Connects; resolves when all pods were told. */
export async function ackingZtunnel(path: string): Promise<AckingZtunnel> {
  let began: number | undefined
  const connection = connectUnix(path)
  await connection.send(HELLO)
  let pods = 0
  const next = async (): Promise<number | undefined> => {
    using message = await connection.receive()
    if (message === undefined) return undefined
    await connection.send(ACK)
    return message.bytes[0]
  }
  for (;;) {
    const kind = await next()
    began ??= performance.now()
    if (kind === undefined) throw new Error('the agent has closed the connection of ztunnel')
    if (kind === ADD) pods += 1
    if (kind === SNAPSHOT_SENT) break
  }
  const snapshotMs = performance.now() - began
  const rest = (async () => {
    while ((await next().catch(() => undefined)) !== undefined);
  })()
  return {
    snapshotMs,
    pods,
    async [Symbol.asyncDispose]() {
      connection.close()
      await rest
    },
  }
}
