package io.indexview.schemas.serde;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import org.slf4j.Logger;

/**
 * Confluent's own registry client and another Avro, both relocated inside Flink's format jar, in a
 * class loader that sees nothing of ours. Records pass in and out as Avro JSON.
 */
final class ConfluentClient implements AutoCloseable {
  private static final Path JAR = Path.of("target/confluent-client/confluent-client.jar");
  private static final String CONFLUENT =
      "org.apache.flink.avro.registry.confluent.shaded.io.confluent.kafka.schemaregistry.";
  private static final String AVRO = "org.apache.flink.avro.shaded.org.apache.avro.";
  private static final String CODER =
      "org.apache.flink.formats.avro.registry.confluent.ConfluentSchemaRegistryCoder";

  private final URLClassLoader loader;
  private final Object client;

  ConfluentClient(String url) throws Exception {
    // There is no logging back end in there, and no need to say so in every test report.
    System.setProperty("slf4j.internal.verbosity", "ERROR");
    URL slf4j = Logger.class.getProtectionDomain().getCodeSource().getLocation();
    loader =
        new URLClassLoader(
            new URL[] {JAR.toUri().toURL(), slf4j}, ClassLoader.getPlatformClassLoader());
    client =
        type(CONFLUENT + "client.CachedSchemaRegistryClient")
            .getConstructor(String.class, int.class)
            .newInstance(url, 100);
  }

  /** Registers the schema, writes the message header and the record after it. */
  byte[] write(String subject, String schemaText, String json) throws Exception {
    Object schema = parse(schemaText);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Object coder =
        type(CODER)
            .getConstructor(String.class, type(CONFLUENT + "client.SchemaRegistryClient"))
            .newInstance(subject, client);
    call(coder, "writeSchema", schema, out);
    out.writeBytes(transcode(schema, json.getBytes(StandardCharsets.UTF_8), false));
    return out.toByteArray();
  }

  /** Reads header and record; gives the record as JSON. */
  String read(byte[] message) throws Exception {
    InputStream in = new ByteArrayInputStream(message);
    Object coder =
        type(CODER)
            .getConstructor(type(CONFLUENT + "client.SchemaRegistryClient"))
            .newInstance(client);
    Object schema = call(coder, "readSchema", in);
    return new String(transcode(schema, in.readAllBytes(), true), StandardCharsets.UTF_8);
  }

  /** The id that the registry has for a schema of a subject. */
  int idOf(String subject, String schemaText) throws Exception {
    return (Integer) call(client, "getId", subject, parsed(schemaText));
  }

  boolean isCompatible(String subject, String schemaText) throws Exception {
    return (Boolean) call(client, "testCompatibility", subject, parsed(schemaText));
  }

  /** Id of the latest version. */
  int latest(String subject) throws Exception {
    return (Integer) call(call(client, "getLatestSchemaMetadata", subject), "getId");
  }

  @Override
  public void close() throws Exception {
    loader.close();
  }

  private Object parsed(String schemaText) throws Exception {
    return type(CONFLUENT + "avro.AvroSchema").getConstructor(String.class).newInstance(schemaText);
  }

  private Object parse(String schemaText) throws Exception {
    return call(type(AVRO + "Schema$Parser").getConstructor().newInstance(), "parse", schemaText);
  }

  private byte[] transcode(Object schema, byte[] bytes, boolean toJson) throws Exception {
    Class<?> schemaType = type(AVRO + "Schema");
    Object decoders = type(AVRO + "io.DecoderFactory").getMethod("get").invoke(null);
    Object encoders = type(AVRO + "io.EncoderFactory").getMethod("get").invoke(null);
    Object decoder =
        toJson
            ? call(decoders, "binaryDecoder", bytes, null)
            : call(decoders, "jsonDecoder", schema, new ByteArrayInputStream(bytes));
    Object datum =
        call(
            type(AVRO + "generic.GenericDatumReader")
                .getConstructor(schemaType)
                .newInstance(schema),
            "read",
            null,
            decoder);
    OutputStream out = new ByteArrayOutputStream();
    Object encoder =
        toJson
            ? call(encoders, "jsonEncoder", schema, out)
            : call(encoders, "binaryEncoder", out, null);
    call(
        type(AVRO + "generic.GenericDatumWriter").getConstructor(schemaType).newInstance(schema),
        "write",
        datum,
        encoder);
    call(encoder, "flush");
    return ((ByteArrayOutputStream) out).toByteArray();
  }

  private Class<?> type(String name) throws ClassNotFoundException {
    return Class.forName(name, true, loader);
  }

  private static Object call(Object target, String name, Object... arguments) throws Exception {
    Method method =
        Arrays.stream(target.getClass().getMethods())
            .filter(candidate -> candidate.getName().equals(name) && !candidate.isBridge())
            .filter(candidate -> takes(candidate.getParameterTypes(), arguments))
            .findFirst()
            .orElseThrow(() -> new NoSuchMethodException(target.getClass() + "." + name));
    method.setAccessible(true);
    return method.invoke(target, arguments);
  }

  private static boolean takes(Class<?>[] types, Object[] arguments) {
    if (types.length != arguments.length) {
      return false;
    }
    for (int i = 0; i < types.length; i++) {
      if (arguments[i] != null && !types[i].isInstance(arguments[i])) {
        return false;
      }
    }
    return true;
  }
}
