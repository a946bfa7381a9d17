import { closeSync } from 'node:fs'
import { type NetnsTarget, run } from '@cni/netns'
import { constants, type Sys, SysError, tryLoadSys } from '@cni/netns/sys'
import { committedBy } from './generation-message.ts'

/** Hears of every transaction of the nft back end in a namespace, and of the process that made it. */
export interface CommitWatch extends Disposable {
  /** To be inherited by the program: the last one to close the socket waits for the kernel's clean-up. */
  readonly fd: number
  /** Resolves after this many transactions of the process; never when it makes fewer. */
  committed(pid: number, count: number): Promise<void>
}

/** `undefined` where the kernel does not tell: without FFI, or without the privilege. */
export function watchCommits(target: NetnsTarget): CommitWatch | undefined {
  const sys = tryLoadSys()
  if (sys === undefined) return undefined
  let fd: number
  try {
    fd = run(target, () => subscribe(sys))
  } catch (error) {
    if (error instanceof SysError) return undefined
    throw error
  }
  let open = true
  return {
    fd,
    async committed(pid, count) {
      let seen = 0
      while (open) {
        for (const by of received(sys, fd)) if (by === pid) seen++
        if (seen >= count) return
        await new Promise((resolve) => setTimeout(resolve, 1))
      }
      return new Promise(() => {})
    },
    [Symbol.dispose]() {
      if (open) closeSync(fd)
      open = false
    },
  }
}

// internal

const NETLINK_NETFILTER = 12
const NFNLGRP_NFTABLES = 7

function subscribe(sys: Sys): number {
  const fd = sys.socket(constants.AF_NETLINK, constants.SOCK_RAW | constants.SOCK_CLOEXEC, NETLINK_NETFILTER)
  try {
    const address = Buffer.alloc(12)
    address.writeUInt16LE(constants.AF_NETLINK, 0)
    address.writeUInt32LE(1 << (NFNLGRP_NFTABLES - 1), 8)
    sys.bind(fd, address)
    return fd
  } catch (error) {
    closeSync(fd)
    throw error
  }
}

/** What has come so far; more than fits in the socket's buffer counts as nothing: then the program's end is waited for. */
function* received(sys: Sys, fd: number): Generator<number | undefined> {
  const buffer = Buffer.alloc(65_536)
  for (;;) {
    let length: number
    try {
      length = sys.recv(fd, buffer, constants.MSG_DONTWAIT)
    } catch (error) {
      if (error instanceof SysError && ['EAGAIN', 'ENOBUFS', 'EINTR'].includes(error.code)) return
      throw error
    }
    for (let at = 0; at + 16 <= length; ) {
      const size = buffer.readUInt32LE(at)
      if (size < 16) break
      yield committedBy(buffer.subarray(at, at + size))
      at += (size + 3) & ~3
    }
  }
}
