/* User-mode Linux 6.1 saves 2,696 bytes of a processor's extended state. Processors with AMX have more, and refuse to take back a
 * part of it. In front of its calls of ptrace this library completes what is taken back by what is there. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { PEEKTEXT = 1, PEEKUSER = 3, GETREGSET = 0x4204, SETREGSET = 0x4205, EXTENDED_STATE = 0x202 };

static char whole[1 << 16];

long ptrace(int request, ...)
{
	va_list words;
	va_start(words, request);
	long process = va_arg(words, long), address = va_arg(words, long);
	void *data = va_arg(words, void *);
	va_end(words);
	if (request == SETREGSET && address == EXTENDED_STATE) {
		struct iovec *part = data, all = { whole, sizeof whole };
		if (syscall(SYS_ptrace, GETREGSET, process, address, &all) == 0 && all.iov_len > part->iov_len) {
			memcpy(whole, part->iov_base, part->iov_len);
			return syscall(SYS_ptrace, request, process, address, &all);
		}
	}
	if (request < PEEKTEXT || request > PEEKUSER)
		return syscall(SYS_ptrace, request, process, address, data);
	long word = 0;
	return syscall(SYS_ptrace, request, process, address, &word) < 0 ? -1 : word;
}
