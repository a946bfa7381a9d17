import { startApp } from '../../../src/testing/node/stand-ins.ts'
import { stage } from '../../stage/stage.ts'

/** Addresses of the test's node and of two pods. Each has one address per IP family. */
export const addresses = {
  node: ['10.60.0.1', 'fd60::1'],
  pod: ['10.60.0.2', 'fd60::2'],
  other: ['10.60.0.3', 'fd60::3'],
} as const

/** Creates a test network: a node and two pods, each of which runs a server. */
export const ambientCluster = (ports: readonly number[] = [8080]) =>
  stage({ kernel: {}, pods: { bridge: addresses.node } }, async (it) => {
    const [pod, other] = [await it.pod(...addresses.pod), await it.pod(...addresses.other)]
    it.stack.use(await startApp(pod, { name: 'app', ports }))
    it.stack.use(await startApp(other, { name: 'other', ports: [8080] }))
    return { node: it.node, pod, other }
  })
