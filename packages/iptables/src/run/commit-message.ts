import { decodeAttributes, type Message, readBe32 } from '@cni/netns/netlink'

/** Process id of a transaction's writer. Unlike `commits` of `@cni/nftables/wire`, loads no decoder. */
export function committedBy({ type, body }: Message): number | undefined {
  if (type !== NFT_MSG_NEWGEN) return undefined
  const found = decodeAttributes(body, NFGENMSG).find(([each]) => each === NFTA_GEN_PROC_PID)
  return readBe32(found?.[1])
}

// internal

const NFT_MSG_NEWGEN = (10 << 8) | 15
const NFGENMSG = 4
const NFTA_GEN_PROC_PID = 2
