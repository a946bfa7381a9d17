import { connectUnix } from '@cni/netns/unix'

/** A ztunnel that opens nothing in pods and acknowledges everything at once. Only the agent is measured. */
export interface AckingZtunnel extends AsyncDisposable {
  /** Milliseconds from the first message until all pods were received. */
  readonly snapshotMs: number
  /** Number of pods received by then. */
  readonly pods: number
}

const HELLO = Uint8Array.of(0x08, 0x01)
const ACK = Uint8Array.of(0x0a, 0x00)
/** First byte of a message, by field. */
const [ADD, SNAPSHOT_SENT] = [0x0a, 0x1a]

/** Connects. Resolves when all pods were received. */
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
