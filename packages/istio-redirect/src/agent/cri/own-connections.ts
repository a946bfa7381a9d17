import { ChannelCredentials, credentials } from '@grpc/grpc-js'

type CreateConnector = ChannelCredentials['_createSecureConnector']
type Connector = ReturnType<CreateConnector>
type Socket = Parameters<Connector['connect']>[0]

/**
 * Plain connections that end with their channel. By itself the library keeps a connection open for as long as the peer does
 * that never sends its settings of HTTP/2.
 */
export class OwnConnections extends ChannelCredentials implements Disposable {
  readonly #plain = credentials.createInsecure()
  readonly #sockets = new Set<Socket>()
  #isOver = false

  _isSecure(): boolean {
    return false
  }

  _equals(other: ChannelCredentials): boolean {
    return other === this
  }

  _createSecureConnector(...of: Parameters<CreateConnector>): Connector {
    const connector = this.#plain._createSecureConnector(...of)
    return {
      ...connector,
      connect: (socket) => {
        this.#sockets.add(socket)
        if (this.#isOver) socket.destroy()
        return connector.connect(socket)
      },
    }
  }

  /** Ends what is open, and each connection that is made later. */
  [Symbol.dispose](): void {
    this.#isOver = true
    for (const socket of this.#sockets) socket.destroy()
  }
}
