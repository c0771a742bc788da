package io.indexview.connect.common.avro;

import io.indexview.schemas.docs.ConfigPage;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class ConfigReferenceTest {
  @Test
  void describesTheConverterAsItIs() throws IOException {
    new ConfigPage(
            "avro-converter.md",
            "Avro converter",
            """
            `io.indexview.connect.common.avro.AvroConverter` converts between Connect data and Avro in
            the Confluent wire format. In the configuration of a worker or a connector each key carries
            the prefix of the converter that it is for: `value.converter.schema.registry.url`.""",
            new AvroConverter().config())
        .verify();
  }
}
