import { fileURLToPath } from 'node:url'
import { Client, credentials, Metadata } from '@grpc/grpc-js'
import { loadSync } from '@grpc/proto-loader'

const SERVICE = 'runtime.v1.RuntimeService'

/** Calls to a container runtime, as the kubelet makes them. */
export interface CriClient extends Disposable {
  /**
   * Resolves with the answer as a plain object. Rejects with the runtime's message. `timeoutMs` is the deadline of the
   * call.
   */
  call(method: string, request: object, timeoutMs?: number): Promise<unknown>
}

/** Connects to the runtime's socket. The first call waits until the runtime listens. */
export function connectCri(socket: string): CriClient {
  const service = loadSync(fileURLToPath(new URL('cri.proto', import.meta.url)), { longs: Number, defaults: true })[
    SERVICE
  ]
  if (service === undefined || 'format' in service) throw new Error(`cri.proto has no ${SERVICE}`)
  const client = new Client(`unix:${socket}`, credentials.createInsecure())
  return {
    call(name, request, timeoutMs = 60_000) {
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
