import { sha256 } from './sha256.ts'

/** Identity of an attachment: one interface of one container in one network. */
export interface AttachmentKey {
  /** Name of the network to which the container is attached. */
  readonly network: string
  /** Container id of the attachment, from `CNI_CONTAINERID`. */
  readonly containerID: string
  /** Name of the interface inside the container, from `CNI_IFNAME`. */
  readonly ifName: string
}

/** Name of an attachment's state file: a digest, because interface names may contain unsafe characters. */
export function fileNameOf(key: AttachmentKey): string {
  return `${digestOf(key).slice(0, 32)}.json`
}

/** Unique digest of an attachment: 64 hexadecimal digits. */
export function digestOf({ network, containerID, ifName }: AttachmentKey): string {
  return sha256(`${network}\0${containerID}\0${ifName}`)
}

/** True if a file name has the format of an attachment's state file. */
export function isStateFile(name: string): boolean {
  return /^[0-9a-f]{32}\.json$/.test(name)
}
