import { connectUnix } from '@cni/netns/unix'

/** Stand-in for ztunnel that acknowledges each message at once, to measure only the agent. */
export interface AckingZtunnel extends AsyncDisposable {
  /** Milliseconds from the agent's first message to its message "all pods have been sent". */
  readonly snapshotMs: number
  /** Number of pods that the agent has sent before its message "all pods have been sent". */
  readonly pods: number
}

const HELLO = Uint8Array.of(0x08, 0x01)
const ACK = Uint8Array.of(0x0a, 0x00)
/** First byte of two types of the agent's messages: "add a pod" and "all pods have been sent". */
const [ADD, SNAPSHOT_SENT] = [0x0a, 0x1a]

/** Connects the stand-in for ztunnel to the agent's socket. Resolves when the agent has sent all pods. */
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
