/** Pod and container to which a process belongs, as its control groups show. */
export interface PodCgroup {
  /** UID of the pod. Empty if the path shows only the container, as with CRI-O. */
  readonly uid: string
  readonly containerId: string
}

/**
 * Finds pod and container in the text of `/proc/PID/cgroup`.
 *
 * @example
 * podCgroup('0::/kubepods/besteffort/pod55efbedd-5af0-4fb0-b896-61604f0b0b53/6f1c\n')?.uid // '55efbedd-5af0-…'
 */
export function podCgroup(text: string): PodCgroup | undefined {
  let found: PodCgroup | undefined
  for (const line of text.split('\n')) {
    if (line === '') continue
    const path = /^[^:]*:[^:]*:(.*)$/.exec(line)?.[1]
    if (path === undefined) return undefined
    const here = ofPath(path.replace(/\.scope$/, ''))
    if (here === undefined) continue
    if (found !== undefined && !agree(found, here)) return undefined
    found = found === undefined || found.uid === '' ? here : found
  }
  return found
}

// internal

/**
 * Pattern of one ASCII punctuation character. Runtimes and systemd separate the parts of a cgroup name with different
 * characters.
 */
const sign = '[!-/:-@[-`{-~]'
const word = '[^!-/:-@[-`{-~]+'
const hex = (digits: number): string => `[0-9a-fA-F]{${digits}}`
const uidParts = [hex(8), hex(4), hex(4), hex(4), hex(12)].join(`${sign}?`)

/**
 * Pattern of cgroup paths of a pod's container: `/pod<uid>/<container>`, `-pod<uid>.slice/cri-containerd-<container>`
 * and similar paths.
 */
const podPath = new RegExp(`${sign}pod(${uidParts})${sign}(?:${word}${sign})*(${word})$`)
/** Pattern of cgroup paths of CRI-O that end in `crio-<container>`. */
const crioPath = new RegExp(`(?:^|/)crio${sign}(${word})$`)
const podName = new RegExp(`${sign}pod${uidParts}${sign}`)

function ofPath(path: string): PodCgroup | undefined {
  const [, uid, containerId] = podPath.exec(path) ?? []
  if (uid !== undefined && containerId !== undefined) return { uid: canonicalUid(uid), containerId }
  const [, crio] = crioPath.exec(path) ?? []
  return crio === undefined || podName.test(path) ? undefined : { uid: '', containerId: crio }
}

const canonicalUid = (uid: string): string => uid.replace(new RegExp(sign, 'g'), '-').toLowerCase()

const agree = (one: PodCgroup, other: PodCgroup): boolean =>
  one.containerId === other.containerId && (one.uid === '' || other.uid === '' || one.uid === other.uid)
