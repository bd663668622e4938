// Allowed addresses: public ones, and configured private ones.
import ipaddr from 'ipaddr.js';
import { CountersignError, type ErrorCode } from '#domain/errors.ts';

export type AddressRules = {
  allows(host: string, address: string): boolean;
};

type Address = ReturnType<typeof ipaddr.parse>;

/** @param allowPrivate host names, addresses, CIDR ranges @throws `invalid_configuration` */
export function createAddressRules(allowPrivate: readonly string[]): AddressRules {
  const hosts = new Set<string>();
  const ranges: [Address, number][] = [];
  for (const entry of allowPrivate) {
    const plain = entry.trim().replace(/^\[|\]$/g, '');
    if (ipaddr.isValidCIDR(plain)) ranges.push(ipaddr.parseCIDR(plain));
    else if (ipaddr.isValid(plain)) {
      const address = ipaddr.process(plain);
      ranges.push([address, address.kind() === 'ipv4' ? 32 : 128]);
    } else if (/^[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?\.?$/i.test(plain)) hosts.add(toHostName(plain));
    else
      throw new CountersignError(
        'invalid_configuration',
        `http.allowPrivate: "${entry}" is not a host name, an address or a CIDR range such as 10.0.0.0/8.`,
      );
  }
  return {
    allows(host, text) {
      if (!ipaddr.isValid(text)) return false;
      // Treats IPv4 inside IPv6 (::ffff:127.0.0.1) as IPv4.
      const address = ipaddr.process(text);
      if (isPublic(address) || hosts.has(toHostName(host))) return true;
      return ranges.some(
        ([base, bits]) => base.kind() === address.kind() && address.match([base, bits]),
      );
    },
  };
}

function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  // Only 2000::/3 of IPv6 is assigned.
  return address.kind() === 'ipv4' || address.match(globalUnicast);
}

const globalUnicast: [Address, number] = ipaddr.parseCIDR('2000::/3');

function toHostName(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
}

export function findUrlProblem(
  url: string,
  rules: AddressRules,
): { code: ErrorCode; message: string } | null {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null)
    return {
      code: 'invalid_arguments',
      message: `"${url.slice(0, 100)}" is not a web address; give one that begins with https:// or http://.`,
    };
  if (parsed.protocol !== 'https:' && parsed.protocol !== 'http:')
    return {
      code: 'address_not_allowed',
      message: `Only http and https addresses can be called, not ${parsed.protocol}`,
    };
  if (parsed.username !== '' || parsed.password !== '')
    return {
      code: 'address_not_allowed',
      message: 'The address contains a user name or password; pass it in a header instead.',
    };
  const host = parsed.hostname.replace(/^\[|\]$/g, '');
  if (ipaddr.isValid(host) && !rules.allows(host, host)) return toNotAllowed(parsed.hostname);
  return null;
}

/** These serve a cloud's metadata, such as its credentials. */
export function isLinkLocal(address: string): boolean {
  return ipaddr.process(address).range() === 'linkLocal';
}

export function toNotAllowed(host: string): { code: ErrorCode; message: string } {
  return {
    code: 'address_not_allowed',
    message: `${host} is a private or local address. To allow it, list it under http.allowPrivate in countersign.json.`,
  };
}
