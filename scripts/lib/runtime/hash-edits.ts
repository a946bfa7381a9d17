import type { Edit } from './edit.ts'

const KEYED_HASH = `
static uint64_t keyed_hash_units(JSValueConst val, uint64_t h, uint64_t key)
{
    if (JS_VALUE_GET_TAG(val) == JS_TAG_STRING_ROPE) {
        JSStringRope *r = JS_VALUE_GET_STRING_ROPE(val);
        h = keyed_hash_units(r->left, h, key);
        return keyed_hash_units(r->right, h, key);
    }
    const JSString *str = JS_VALUE_GET_STRING(val);
    for (uint32_t i = 0; i < str->len; i++)
        h = string_hash_add(h, str->is_wide_char ? str->u.str16[i] : str->u.str8[i], key);
    return h;
}

static uint32_t keyed_hash_string(JSValueConst val, uint32_t h, uint64_t key)
{
    return string_hash_end(keyed_hash_units(val, h, key));
}
`

const ENDS_HASH_STRING_ROPE = `        h = hash_string_rope(r->left, h);
        return hash_string_rope(r->right, h);
    }
}
`

/**
 * Changes QuickJS so that it hashes untrusted strings with a key that is new at each start. See native/string-hash.h.
 */
export const HASH_EDITS: readonly Edit[] = [
  {
    why: 'hashes of foreign strings have a key: native/string-hash.h',
    find: '#include "dtoa.h"\n',
    replace: '#include "dtoa.h"\n#include "string-hash.h"\n',
    times: 1,
  },
  {
    why: 'the same hash for a rope and for the string it stands for',
    find: ENDS_HASH_STRING_ROPE,
    replace: ENDS_HASH_STRING_ROPE + KEYED_HASH,
    times: 1,
  },
  {
    why: 'a property name is looked up with both hashes, and added with the last',
    find: `        h = hash_string(str, atom_type);
        h &= JS_ATOM_HASH_MASK;
        h1 = h & (rt->atom_hash_size - 1);
        i = rt->atom_hash[h1];
        while (i != 0) {`,
    replace: `        uint64_t hash_key = 0;
        h = hash_string(str, atom_type);
    with_this_hash:
        h &= JS_ATOM_HASH_MASK;
        h1 = h & (rt->atom_hash_size - 1);
        i = rt->atom_hash[h1];
        while (i != 0) {`,
    times: 1,
  },
  {
    why: 'the second lookup of the edit above',
    find: `            i = p->hash_next;
        }
    } else {
        h1 = 0; /* avoid warning */`,
    replace: `            i = p->hash_next;
        }
        if (hash_key != string_hash_key) {
            hash_key = string_hash_key;
            h = keyed_hash_string(JS_MKPTR(JS_TAG_STRING, str), atom_type, hash_key);
            goto with_this_hash;
        }
    } else {
        h1 = 0; /* avoid warning */`,
    times: 1,
  },
  {
    why: 'a Map knows the key that its table was made with',
    find: `    int hash_bits;
    uint32_t hash_size; /* = 2 ^ hash_bits */`,
    replace: `    int hash_bits;
    uint64_t hash_key; /* 0: made in the image and not grown since */
    uint32_t hash_size; /* = 2 ^ hash_bits */`,
    times: 1,
  },
  {
    why: 'a new Map has the key of this start',
    find: '    s->hash_bits = 1;\n',
    replace: '    s->hash_bits = 1;\n    s->hash_key = string_hash_key;\n',
    times: 1,
  },
  {
    why: 'a Map that grows takes the key of this start',
    find: '    s->hash_bits = new_hash_bits;\n',
    replace: '    s->hash_bits = new_hash_bits;\n    s->hash_key = string_hash_key;\n',
    times: 1,
  },
  {
    why: 'the key is an argument of the hash of a Map',
    find: 'static uint32_t map_hash_key(JSValueConst key, int hash_bits)',
    replace: 'static uint32_t map_hash_key(JSValueConst key, int hash_bits, uint64_t hash_key)',
    times: 1,
  },
  {
    why: 'lookups in a Map',
    find: 'map_hash_key(key, s->hash_bits)',
    replace: 'map_hash_key(key, s->hash_bits, s->hash_key)',
    times: 3,
  },
  {
    why: 'removal of a dead key',
    find: 'map_hash_key(mr->key, s->hash_bits)',
    replace: 'map_hash_key(mr->key, s->hash_bits, s->hash_key)',
    times: 1,
  },
  {
    why: 'growth of a Map',
    find: 'map_hash_key(mr->key, new_hash_bits)',
    replace: 'map_hash_key(mr->key, new_hash_bits, string_hash_key)',
    times: 1,
  },
  {
    why: 'strings as keys of a Map',
    find: 'h = map_hash32(hash_string(JS_VALUE_GET_STRING(key), 0) ^ JS_TAG_STRING, hash_bits);',
    replace:
      'h = map_hash32((hash_key ? keyed_hash_string(key, 0, hash_key) : hash_string(JS_VALUE_GET_STRING(key), 0)) ^ JS_TAG_STRING, hash_bits);',
    times: 1,
  },
  {
    why: 'ropes as keys of a Map',
    find: 'h = map_hash32(hash_string_rope(key, 0) ^ JS_TAG_STRING, hash_bits);',
    replace:
      'h = map_hash32((hash_key ? keyed_hash_string(key, 0, hash_key) : hash_string_rope(key, 0)) ^ JS_TAG_STRING, hash_bits);',
    times: 1,
  },
]
