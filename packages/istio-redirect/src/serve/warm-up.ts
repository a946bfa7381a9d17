import { VERSION } from '@cni/host/cli'
import { ordinaryPod } from '../decide/ordinary-pod.ts'
import { encodeAnswer } from './answer.ts'
import { answerCall } from './answer-call.ts'
import type { MakeBatch } from './kept-batches.ts'
import { type NamespaceFacts, PROTOCOL, type ServeAnswer, type ServeRequest } from './protocol.ts'

/**
 * Decides about a pod that there is not, as about one of the mesh: the first time takes 10 ms of CPU, the third 3. Nothing is
 * asked, written or logged.
 *
 * @param batch - default: as of `answerCall`
 * @returns what was decided, which is of no use but to a test.
 */
export async function warmUp(batch?: MakeBatch): Promise<ServeAnswer> {
  const answer = await answerCall(REQUEST, {
    pod: async () => ordinaryPod,
    facts: async () => FACTS,
    ...(batch && { batch }),
  })
  encodeAnswer(answer)
  return answer
}

// internal

const REQUEST: ServeRequest = {
  protocol: PROTOCOL,
  version: VERSION,
  env: {
    CNI_COMMAND: 'ADD',
    CNI_CONTAINERID: 'example',
    CNI_IFNAME: 'eth0',
    CNI_PATH: '/opt/cni/bin',
    CNI_ARGS: 'K8S_POD_NAMESPACE=default;K8S_POD_NAME=example;K8S_POD_UID=0',
    CNI_NETNS: '/run/netns/example',
  },
  stdin: Buffer.from(
    '{"cniVersion":"1.0.0","name":"example","type":"istio-cni","prevResult":{"cniVersion":"1.0.0","ips":[{"address":"192.0.2.1/24"}]}}',
  ),
}

const FACTS: NamespaceFacts = { netns: { dev: 0, ino: 0 }, backend: 'nft', fresh: true, generation: 1, inet6: '' }
