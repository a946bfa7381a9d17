import { connectFrom, GATEWAY } from '@cni/istio-redirect/testing/node'
import type { NetnsTarget } from '@cni/netns'
import type { Expected, JudgedConnection } from './facts.ts'

/** Destination addresses without hosts. They are reserved for documentation (RFC 5737, RFC 3849). */
const NOWHERE = { ipv4: '203.0.113.10', ipv6: '2001:db8::10' }

interface Attempt {
  what: string
  from: JudgedConnection['from']
  to: { host: string; port: number }
  expected: Expected
}

/** Connections of the demo. The server listens on the node, the application in the pod. */
export const attempts = (pod: { ipv4: string; ipv6: string }): Attempt[] => [
  {
    what: 'the application calls a server that does not exist: captured',
    from: { namespace: 'pod', uid: 1000 },
    to: { host: NOWHERE.ipv4, port: 80 },
    expected: { served_by: 'proxy', listener: 15001, original_dst: `${NOWHERE.ipv4}:80` },
  },
  {
    what: 'the same over IPv6',
    from: { namespace: 'pod', uid: 1000 },
    to: { host: NOWHERE.ipv6, port: 80 },
    expected: { served_by: 'proxy', listener: 15001, original_dst: `[${NOWHERE.ipv6}]:80` },
  },
  {
    what: 'the application calls a real server on the node: captured as well',
    from: { namespace: 'pod', uid: 1000 },
    to: { host: GATEWAY.ipv4, port: 8080 },
    expected: { served_by: 'proxy', listener: 15001, original_dst: `${GATEWAY.ipv4}:8080` },
  },
  {
    what: 'the proxy itself (uid 1337) calls that server: passes',
    from: { namespace: 'pod', uid: 1337 },
    to: { host: GATEWAY.ipv4, port: 8080 },
    expected: { served_by: 'server', listener: 8080 },
  },
  {
    what: 'port 9090 is excluded by the pod’s annotation: passes',
    from: { namespace: 'pod', uid: 1000 },
    to: { host: GATEWAY.ipv4, port: 9090 },
    expected: { served_by: 'server', listener: 9090 },
  },
  {
    what: 'a client on the node calls the pod: captured',
    from: { namespace: 'node', uid: 0 },
    to: { host: pod.ipv4, port: 8080 },
    expected: { served_by: 'proxy', listener: 15006, original_dst: `${pod.ipv4}:8080` },
  },
  {
    what: 'the same over IPv6',
    from: { namespace: 'node', uid: 0 },
    to: { host: pod.ipv6, port: 8080 },
    expected: { served_by: 'proxy', listener: 15006, original_dst: `[${pod.ipv6}]:8080` },
  },
  {
    what: 'the health port 15021 is never captured: reaches the application',
    from: { namespace: 'node', uid: 0 },
    to: { host: pod.ipv4, port: 15021 },
    expected: { served_by: 'app', listener: 15021 },
  },
]

/** Opens a connection of the demo. Compares the program that answers with the expected program. */
export async function attempt(pod: NetnsTarget, { what, from, to, expected }: Attempt): Promise<JudgedConnection> {
  const [connection] = await connectFrom(from.namespace === 'pod' ? pod : 'host', from.uid, [to])
  if (!connection) throw new Error('the client said nothing')
  const { served_by, listener, original_dst } = connection.answer ?? {}
  const as_expected =
    served_by === expected.served_by && listener === expected.listener && original_dst === expected.original_dst
  return { what, from, ...connection, expected, as_expected }
}
