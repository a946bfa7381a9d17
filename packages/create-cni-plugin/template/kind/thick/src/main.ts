import { shimMain } from '@cni/skel/thick'
import { SHIM } from './shim.ts'

shimMain(SHIM)
