package io.indexview.local;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** The listening TCP sockets of this process and its children, as Linux shows them in /proc. */
final class ListeningSockets {
  private static final String LISTEN = "0A";

  private ListeningSockets() {}

  /**
   * One socket.
   *
   * @param address hexadecimal, as the kernel prints it
   */
  record Socket(String address, int port) {
    boolean isLoopback() {
      return address.endsWith("0100007F") || address.equals("00000000000000000000000001000000");
    }
  }

  static List<Socket> ofThisProcessTree() throws IOException {
    Set<String> inodes = new HashSet<>();
    ProcessHandle self = ProcessHandle.current();
    for (ProcessHandle process : Stream.concat(Stream.of(self), self.descendants()).toList()) {
      inodes.addAll(socketInodes(process.pid()));
    }
    List<Socket> sockets = new ArrayList<>();
    for (String table : List.of("/proc/net/tcp", "/proc/net/tcp6")) {
      Files.readAllLines(Path.of(table)).stream()
          .skip(1)
          .map(line -> line.strip().split("\\s+"))
          .filter(columns -> columns[3].equals(LISTEN) && inodes.contains(columns[9]))
          .map(columns -> columns[1].split(":"))
          .map(local -> new Socket(local[0], Integer.parseInt(local[1], 16)))
          .forEach(sockets::add);
    }
    return sockets;
  }

  private static Set<String> socketInodes(long pid) throws IOException {
    Set<String> inodes = new HashSet<>();
    try (DirectoryStream<Path> descriptors =
        Files.newDirectoryStream(Path.of("/proc/" + pid + "/fd"))) {
      for (Path descriptor : descriptors) {
        String target = target(descriptor);
        if (target.startsWith("socket:[")) {
          inodes.add(target.substring("socket:[".length(), target.length() - 1));
        }
      }
    } catch (NoSuchFileException endedMeanwhile) {
      return Set.of();
    }
    return inodes;
  }

  private static String target(Path descriptor) throws IOException {
    try {
      return Files.readSymbolicLink(descriptor).toString();
    } catch (NoSuchFileException closedMeanwhile) {
      return "";
    }
  }
}
