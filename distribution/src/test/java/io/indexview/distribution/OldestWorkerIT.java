package io.indexview.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.FieldVisitor;
import org.objectweb.asm.Handle;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * What the plugins call of Kafka and SLF4J, against the classes of older workers that are to run
 * them: a method that came later fails there only when it is called.
 */
class OldestWorkerIT {
  /** What a worker gives its plugins from its own libraries, whatever their archives hold. */
  private static final List<String> OF_WORKER = List.of("org/apache/kafka/", "org/slf4j/");

  /** Metrics of plugins came with Connect 4.1; tasks find out whether the worker has them. */
  private static final String LATER = "common/metrics/PluginMetrics";

  /** Configures the app and the server; no plugin uses it. */
  private static final String NOT_OF_PLUGINS = "io/indexview/schemas/config/ConfigKeys";

  private record Type(List<String> parents, Set<String> members) {}

  private static List<Path> workers() throws IOException {
    List<Path> workers = files(Path.of(System.getProperty("workers")));
    assertThat(workers).hasSize(2);
    return workers;
  }

  private static Map<String, Type> read(Path worker) throws IOException {
    Map<String, Type> types = new HashMap<>();
    for (Path jar : files(worker)) {
      classes(Files.newInputStream(jar), (name, code) -> types.put(name, type(code)));
    }
    assertThat(types)
        .containsKeys("org/apache/kafka/connect/source/SourceTask", "org/slf4j/Logger");
    return types;
  }

  private static List<Path> files(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.toList();
    }
  }

  private static void classes(InputStream jar, BiConsumer<String, byte[]> found)
      throws IOException {
    try (ZipInputStream zip = new ZipInputStream(jar)) {
      for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
        String name = entry.getName();
        if (name.endsWith(".class") && !name.startsWith("META-INF")) {
          found.accept(name.replace(".class", ""), zip.readAllBytes());
        }
      }
    }
  }

  /** Classes of what the archive of a plugin holds of Indexview. */
  private static void libraries(InputStream archive, BiConsumer<String, byte[]> found)
      throws IOException {
    try (ZipInputStream zip = new ZipInputStream(archive)) {
      for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
        if (entry.getName().matches(".*/indexview-[^/]*\\.jar")) {
          classes(new ByteArrayInputStream(zip.readAllBytes()), found);
        }
      }
    }
  }

  private static Type type(byte[] code) {
    Set<String> members = new HashSet<>();
    ClassReader reader = new ClassReader(code);
    reader.accept(
        new ClassVisitor(Opcodes.ASM9) {
          @Override
          public MethodVisitor visitMethod(
              int access, String name, String descriptor, String signature, String[] thrown) {
            members.add(name + descriptor);
            return null;
          }

          @Override
          public FieldVisitor visitField(
              int access, String name, String descriptor, String signature, Object value) {
            members.add(name + descriptor);
            return null;
          }
        },
        ClassReader.SKIP_CODE | ClassReader.SKIP_DEBUG);
    List<String> parents = new ArrayList<>(List.of(reader.getInterfaces()));
    parents.add(reader.getSuperName());
    return new Type(parents, members);
  }

  private static boolean ofWorker(String owner) {
    return OF_WORKER.stream().anyMatch(owner::startsWith);
  }

  private static boolean has(Map<String, Type> worker, String owner, String member) {
    Type type = worker.get(owner);
    if (type == null) {
      // What a class of the JDK gives has been there for long.
      return owner != null && !ofWorker(owner) && !owner.equals("java/lang/Object");
    }
    return type.members().contains(member)
        || type.parents().stream().anyMatch(parent -> has(worker, parent, member));
  }

  /** Collects what a class names of the worker and that does not have. */
  private static final class Uses extends ClassVisitor {
    private final Map<String, Type> worker;
    private final String user;
    private final Set<String> missing;

    private Uses(Map<String, Type> worker, String user, Set<String> missing) {
      super(Opcodes.ASM9);
      this.worker = worker;
      this.user = user;
      this.missing = missing;
    }

    private void use(String owner, String member) {
      if (ofWorker(owner) && !member.contains(LATER) && !owner.endsWith(LATER)) {
        if (!worker.containsKey(owner) || !has(worker, owner, member)) {
          missing.add("%s: %s.%s".formatted(user, owner, member));
        }
      }
    }

    @Override
    public MethodVisitor visitMethod(
        int access, String name, String descriptor, String signature, String[] thrown) {
      return new MethodVisitor(Opcodes.ASM9) {
        @Override
        public void visitMethodInsn(
            int opcode, String owner, String called, String type, boolean isInterface) {
          use(owner, called + type);
        }

        @Override
        public void visitFieldInsn(int opcode, String owner, String field, String type) {
          use(owner, field + type);
        }

        @Override
        public void visitInvokeDynamicInsn(
            String called, String type, Handle bootstrap, Object... arguments) {
          for (Object argument : arguments) {
            if (argument instanceof Handle handle) {
              use(handle.getOwner(), handle.getName() + handle.getDesc());
            }
          }
        }
      };
    }
  }

  @ParameterizedTest
  @MethodSource("workers")
  void hasEverythingThatThePluginsCall(Path directory) throws IOException {
    Map<String, Type> worker = read(directory);
    Set<String> read = new TreeSet<>();
    Set<String> missing = new TreeSet<>();
    try (ZipFile distribution = new ZipFile(System.getProperty("distribution.zip"))) {
      for (ZipEntry plugin : Collections.list(distribution.entries())) {
        if (plugin.getName().matches(".*/plugins/[^/]*\\.zip")) {
          libraries(
              distribution.getInputStream(plugin),
              (name, code) -> {
                read.add(name);
                if (!name.equals(NOT_OF_PLUGINS)) {
                  new ClassReader(code).accept(new Uses(worker, name, missing), 0);
                }
              });
        }
      }
    }
    assertThat(read)
        .contains(
            "io/indexview/connect/kvstore/source/KvStoreSourceTask",
            "io/indexview/connect/s3/S3SourceTask",
            "io/indexview/connect/dynamodb/DynamoDbSinkTask");
    assertThat(missing).isEmpty();
  }
}
