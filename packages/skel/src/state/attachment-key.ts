import { sha256 } from './sha256.ts'

/** What identifies an attachment: one interface of one container in one network. */
export interface AttachmentKey {
  /** The name of the network. */
  readonly network: string
  /** `CNI_CONTAINERID`. */
  readonly containerID: string
  /** `CNI_IFNAME`. */
  readonly ifName: string
}

/** The name of an attachment's file: a digest, because container ids have no length limit and a name may hold a slash. */
export function fileNameOf(key: AttachmentKey): string {
  return `${digestOf(key).slice(0, 32)}.json`
}

/** 64 hexadecimal digits that are those of one attachment. */
export function digestOf({ network, containerID, ifName }: AttachmentKey): string {
  return sha256(`${network}\0${containerID}\0${ifName}`)
}

/** Whether a file may be an attachment's, by its name. */
export function isStateFile(name: string): boolean {
  return /^[0-9a-f]{32}\.json$/.test(name)
}
