import { fileURLToPath } from 'node:url'
import { Client, credentials, Metadata } from '@grpc/grpc-js'
import { loadSync } from '@grpc/proto-loader'

const SERVICE = 'runtime.v1.RuntimeService'

/** Client that makes kubelet's calls on a container runtime's CRI socket. */
export type CriClient = ReturnType<typeof connectCri>

/** Connects to the container runtime's socket. The first call waits until the runtime listens. */
export function connectCri(socket: string) {
  const service = loadSync(fileURLToPath(new URL('cri.proto', import.meta.url)), { longs: Number, defaults: true })[
    SERVICE
  ]
  if (service === undefined || 'format' in service) throw new Error(`cri.proto has no ${SERVICE}`)
  const client = new Client(`unix:${socket}`, credentials.createInsecure())
  return {
    /** Calls a CRI method. Resolves with the response as a plain object. */
    call(name: string, request: object, timeoutMs = 60_000): Promise<unknown> {
      const method = service[name]
      if (method === undefined) throw new Error(`cri.proto has no method ${name}`)
      return new Promise((resolve, reject) => {
        client.makeUnaryRequest(
          method.path,
          method.requestSerialize,
          method.responseDeserialize,
          request,
          new Metadata({ waitForReady: true }),
          { deadline: Date.now() + timeoutMs },
          (error, answer) => (error === null ? resolve(answer) : reject(error)),
        )
      })
    },
    [Symbol.dispose]: () => client.close(),
  }
}
