import { CniError, ErrorCode, isObject, type normalizeNetConf, type ValidAttachment } from '@cni/types'

/** Configuration members that list valid attachments. Older container runtimes use the second one. */
const MEMBERS = ['cni.dev/valid-attachments', 'cni.dev/attachments']

/** Reads the attachments that GC must keep. Throws for a malformed list, because GC cleans up all others. */
export function readAttachments(document: ReturnType<typeof normalizeNetConf>): readonly ValidAttachment[] | undefined {
  const member = MEMBERS.find((name) => name in document)
  if (member === undefined) return undefined
  const list = document[member]
  if (list === null) return []
  if (!Array.isArray(list)) throw malformed(member, 'a list', list)
  return list.map((one: unknown, index) => {
    if (isObject(one)) {
      const { containerID, ifname } = one
      if (typeof containerID === 'string' && typeof ifname === 'string') return { containerID, ifname }
    }
    throw malformed(`${member}[${index}]`, 'an object with containerID and ifname', one)
  })
}

function malformed(where: string, expected: string, value: unknown): CniError {
  return new CniError(
    ErrorCode.invalidNetworkConfig,
    `${where}: expected ${expected}, got ${JSON.stringify(value)?.slice(0, 80)}`,
  )
}
