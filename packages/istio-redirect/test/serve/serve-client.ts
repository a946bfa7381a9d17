import { VERSION } from '@cni/host/cli'
import { askDaemon } from '@cni/skel/daemon'
import { ADD_PATH, type AddRequest, encodeRequest } from '../../src/serve/add-request.ts'
import { readAnswer, type ServeAnswer } from '../../src/serve/answer.ts'

/** Sends a plugin's request to the agent's socket, with a longer timeout than the plugin's. */
export async function askAdd(socket: string, request: AddRequest): Promise<ServeAnswer> {
  const deadlines = { begunWithin: 20_000, within: 20_000, signal: new AbortController().signal }
  const { answer, reason } = await askDaemon(socket, { path: ADD_PATH, body: encodeRequest(request), ...deadlines })
  if (answer === undefined) throw new Error(reason)
  return readAnswer(answer)
}

/** Builds the plugin's request to the agent for a pod's ADD in the namespace `demo`. */
export const requestFor = (
  name: string,
  { uid, version = VERSION }: { readonly uid?: string | undefined; readonly version?: string } = {},
): AddRequest => ({
  version,
  call: {
    pod: { namespace: 'demo', name, uid },
    settings: { ambientSelectors: [], ambientOptOut: false },
    env: {},
  },
  native: false,
  addresses: { place: '/run/netns/x', told: ['10.1.2.3/24'], found: [], ipv6Off: false },
})
