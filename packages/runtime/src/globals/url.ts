import { defineGlobal } from '../define.ts'
import { URLSearchParams } from '../url/search-params.ts'
import { URL } from '../url/url.ts'

defineGlobal('URL', URL)
defineGlobal('URLSearchParams', URLSearchParams)
