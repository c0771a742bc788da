package io.indexview.kvstore.open;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.kvstore.open.ClientReferences.Member;
import io.indexview.kvstore.open.OracleAdapter.OracleAdapterLoader;
import io.indexview.kvstore.oracle.OracleKvStore;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.net.MalformedURLException;
import java.net.URL;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.stream.Stream;
import oracle.kv.KVStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The adapter links against the client that it is compiled with and, given {@code
 * -Dkvclient.jar=…/lib/kvclient.jar}, against a server's own.
 */
class ClientApiTest {
  static Stream<URL> clients() throws MalformedURLException {
    URL compiledWith = KVStore.class.getProtectionDomain().getCodeSource().getLocation();
    Optional<String> given = Optional.ofNullable(System.getProperty("kvclient.jar"));
    return given.isPresent()
        ? Stream.of(compiledWith, Path.of(given.get()).toUri().toURL())
        : Stream.of(compiledWith);
  }

  @ParameterizedTest
  @MethodSource("clients")
  void findsEverythingThatTheAdapterUses(URL clientJar) throws Exception {
    try (OracleAdapterLoader client = OracleAdapter.loader(clientJar)) {
      assertThat(used()).filteredOn(member -> !links(client, member)).isEmpty();
    }
  }

  @Test
  void findsWhatIsUsed() throws Exception {
    assertThat(used()).extracting(Member::name).contains("getVLSN", "storeIterator", "ABSOLUTE");
  }

  private static SortedSet<Member> used() throws Exception {
    URL classes = OracleKvStore.class.getResource("OracleKvStore.class");
    return ClientReferences.of(Path.of(classes.toURI()).getParent());
  }

  private static boolean links(ClassLoader client, Member member) {
    try {
      Class<?> owner = client.loadClass(member.owner().replace('/', '.'));
      return member.isMethod() ? hasMethod(owner, member) : hasField(owner, member);
    } catch (ClassNotFoundException | TypeNotPresentException e) {
      return false;
    }
  }

  private static boolean hasMethod(Class<?> owner, Member member) {
    MethodType type =
        MethodType.fromMethodDescriptorString(member.descriptor(), owner.getClassLoader());
    List<Class<?>> parameters = type.parameterList();
    if (member.name().equals("<init>")) {
      return Arrays.stream(owner.getConstructors())
          .anyMatch(c -> List.of(c.getParameterTypes()).equals(parameters));
    }
    return Arrays.stream(owner.getMethods())
        .filter(method -> method.getName().equals(member.name()))
        .filter(method -> method.getReturnType() == type.returnType())
        .map(Method::getParameterTypes)
        .anyMatch(found -> List.of(found).equals(parameters));
  }

  private static boolean hasField(Class<?> owner, Member member) {
    return Arrays.stream(owner.getFields())
        .filter(field -> field.getName().equals(member.name()))
        .map(Field::getType)
        .anyMatch(type -> type.descriptorString().equals(member.descriptor()));
  }
}
