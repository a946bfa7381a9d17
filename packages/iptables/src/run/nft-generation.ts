import { closeSync } from 'node:fs'
import type { NetnsTarget } from '@cni/netns'
import { constants, loadSys, type Sys } from '@cni/netns/sys'
import { IptablesError } from '../errors.ts'
import { attributesAt, generationIn } from './generation-message.ts'
import { netlinkAddress, openNetfilter } from './netfilter-socket.ts'
import type { Generation } from './port.ts'

/**
 * The generation of a namespace's nftables rules, asked over nfnetlink: the kernel counts it up with every change, by
 * whatever program. The socket is opened inside the namespace and stays there. Needs the FFI of `@cni/netns`.
 */
export function nftGeneration(target: NetnsTarget): Generation {
  const sys = loadSys()
  const fd = openNetfilter(sys, target)
  let open = true
  return {
    current: () => ask(sys, fd),
    close() {
      if (open) closeSync(fd)
      open = false
    },
  }
}

// internal

const NFT_MSG_GETGEN = (10 << 8) | 16
const NLMSG_ERROR = 2

function ask(sys: Sys, fd: number): number {
  const request = Buffer.alloc(attributesAt)
  request.writeUInt32LE(request.length, 0)
  request.writeUInt16LE(NFT_MSG_GETGEN, 4)
  request.writeUInt16LE(1, 6) // NLM_F_REQUEST
  sys.sendto(fd, request, 0, netlinkAddress())
  const answer = Buffer.alloc(4096)
  // Never waits: nfnetlink answers inside our own sendto.
  const length = sys.recv(fd, answer, constants.MSG_DONTWAIT)
  const generation = generationIn(answer.subarray(0, length))
  if (generation !== undefined) return generation
  const errno = length >= 20 && answer.readUInt16LE(4) === NLMSG_ERROR ? -answer.readInt32LE(16) : 0
  const code = errno === 1 ? 'DENIED' : 'EXIT'
  throw new IptablesError(code, `the kernel does not tell the generation of its nftables rules (errno ${errno})`)
}
